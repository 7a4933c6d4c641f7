#!/bin/sh
# Keeps environment files away from the model.
case "$(cat)" in
  *'"file_path":"'*'/.env"'*) echo '{"permission":"deny","user_message":"Environment files stay on this machine."}' ;;
  *) echo '{"permission":"allow"}' ;;
esac
