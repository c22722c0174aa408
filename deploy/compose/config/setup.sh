#!/bin/sh
# Makes the user that the workers are, and the bucket that belongs to it. Can be run any number of times.
set -eu
user=pamline
bucket=pamline

for secret in s3-root-secret s3-secret; do
  [ -s "/run/secrets/$secret" ] || { echo "no $secret: run ./init first" >&2; exit 1; }
done
ADMIN_SECRET_KEY=$(cat /run/secrets/s3-root-secret)
export ADMIN_SECRET_KEY
secret=$(cat /run/secrets/s3-secret)

# has LIST NAME: whether the first column of a listing has the name.
has() { versitygw admin "$1" | awk -v name="$2" '$1 == name { found = 1 } END { exit !found }'; }

if has list-users "$user"; then
  versitygw admin update-user --access "$user" --secret "$secret" --role user
else
  versitygw admin create-user --access "$user" --secret "$secret" --role user
fi
has list-buckets "$bucket" || versitygw admin create-bucket --owner "$user" --bucket "$bucket"
echo "bucket $bucket is there and belongs to $user"
