#!/bin/sh
# Tells the model where it is, and gives later hooks a variable.
cat > /dev/null
echo '{"additional_context":"This repository is a demonstration.","env":{"TOUR_TICKET":"TOUR-7"}}'
