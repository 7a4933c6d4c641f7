// For authors of hooks.

export {}
