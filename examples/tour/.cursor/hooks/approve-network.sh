#!/bin/sh
# Wants a person to look before anything leaves the machine. The variable comes from session-init.sh.
cat > /dev/null
printf '{"permission":"ask","user_message":"This leaves your machine (%s). Go on?"}' "$TOUR_TICKET"
