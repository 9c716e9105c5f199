#!/bin/sh
# Creates the bucket, and for the service a key that reaches only this bucket.
set -eu
key=$(cat /run/secrets/s3_access_key_id)
mc alias set here http://storage:9000 registry-root "$(cat /run/secrets/storage_root_password)"
mc mb --ignore-existing "here/$BUCKET"
cat >/tmp/policy.json <<JSON
{
  "Version": "2012-10-17",
  "Statement": [
    { "Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
      "Resource": ["arn:aws:s3:::$BUCKET/*"] },
    { "Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": ["arn:aws:s3:::$BUCKET"] }
  ]
}
JSON
mc admin policy create here registry-service /tmp/policy.json
mc admin user add here "$key" "$(cat /run/secrets/s3_secret_access_key)"
# Attaching twice is an error.
mc admin user info here "$key" | grep -q registry-service || mc admin policy attach here registry-service --user "$key"
