// The test kit for authors of hooks.

export {}
