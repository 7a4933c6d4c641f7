#!/bin/sh
# Goes on until the tests pass, within its loop limit.
cat > /dev/null
echo '{"followup_message":"The tests still fail. Fix them."}'
