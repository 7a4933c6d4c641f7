#!/usr/bin/env node
require('../dist/holdfast.cjs')
