#!/bin/sh
# Makes a bare git repository that deploys each push: setup.sh DIRECTORY. Run it while the daemon
# listens on TCP; docs/tasks/webhook.md explains each step.
#
#   DIRECTORY/site.git   the repository to push to; its post-receive hook posts a signed webhook
#   DIRECTORY/secret     the secret that the hook signs with and the trigger verifies with
#   DIRECTORY/site       the deployed files
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"

url=$(drover status --json | jq -r '.url // empty')
if [ -z "$url" ]; then
  echo "the daemon does not listen on TCP; run: drover config set listen.address 127.0.0.1:7777" >&2
  exit 1
fi

git init -q --bare site.git
mkdir -p site
(umask 077 && openssl rand -hex 32 >secret)
git -C site.git config drover.hook "$url/hooks/git/site"
git -C site.git config drover.secret "$PWD/secret"
cp "$here/post-receive" site.git/hooks/post-receive
chmod 755 site.git/hooks/post-receive

drover trigger add site --webhook git/site --secret-file secret --overlap queue \
  --filter 'payload.ref eq refs/heads/main' \
  -e "REPOSITORY=$PWD/site.git" -e "SITE=$PWD/site" -- "$here/deploy.sh"
