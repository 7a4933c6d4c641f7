// Everything that is made from the table. The drift test imports this; scripts/generate.mjs writes it to disk.

import { pythonPayloads } from './python-payloads.js'
import { pythonRows } from './python-rows.js'
import { REFERENCE_FOLDER, reference } from './reference.js'
import { SCHEMA_FOLDER, schemas } from './schemas.js'
import { sdkRows } from './sdk-rows.js'

/** Folders that hold generated files and nothing else. */
export const GENERATED_FOLDERS = [SCHEMA_FOLDER, REFERENCE_FOLDER] as const

export const generated = (): Map<string, string> =>
  new Map([...schemas(), ...reference(), ...sdkRows(), ...pythonRows(), ...pythonPayloads()])
