// Everything that is generated from the table. The drift test imports this; scripts/generate.mjs writes it to disk.

import { cliPages } from './cli-pages.js'
import { httpPages } from './http-page.js'
import { limitPages } from './limits-page.js'
import { pythonPayloads } from './python-payloads.js'
import { pythonRows } from './python-rows.js'
import { REFERENCE_FOLDER, reference } from './reference.js'
import { SCHEMA_FOLDER, schemas } from './schemas.js'
import { sdkRows } from './sdk-rows.js'

/** Folders that contain only generated files. */
export const GENERATED_FOLDERS = [SCHEMA_FOLDER, REFERENCE_FOLDER] as const

export const generated = (root: string): Map<string, string> =>
  new Map([
    ...schemas(),
    ...reference(),
    ...cliPages(root),
    ...httpPages(root),
    ...limitPages(root),
    ...sdkRows(),
    ...pythonRows(),
    ...pythonPayloads(),
  ])
