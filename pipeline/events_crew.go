package pipeline

// crew does jobs in their order, up to most at a time.
type crew struct {
	most, busy int
	jobs       []func()
}

// enlist has a job done.
func (in *intake) enlist(c *crew, job func()) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.enlistLocked(c, job)
}

func (in *intake) enlistLocked(c *crew, job func()) {
	c.jobs = append(c.jobs, job)
	if c.busy < c.most {
		c.busy++
		in.running.Go(func() { in.serve(c) })
	}
}

func (in *intake) serve(c *crew) {
	for {
		in.mu.Lock()
		if len(c.jobs) == 0 {
			c.busy--
			in.mu.Unlock()
			return
		}
		job := c.jobs[0]
		c.jobs[0] = nil
		c.jobs = c.jobs[1:]
		in.mu.Unlock()
		job()
	}
}
