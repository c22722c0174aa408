package state

import "fmt"

// The lanes keep one large archive from standing before everyone's small ones.
const (
	LaneSmall = "small"
	LaneBulk  = "bulk"
)

// CheckLane refuses a lane that does not exist.
func CheckLane(lane string) error {
	if lane != LaneSmall && lane != LaneBulk {
		return fmt.Errorf("check lane: there is no lane %q", lane)
	}
	return nil
}
