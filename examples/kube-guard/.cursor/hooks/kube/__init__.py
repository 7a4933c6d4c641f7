"""What kube_guard.py is made of: shell commands, kubectl's words, manifests, and what is not wanted in them."""
