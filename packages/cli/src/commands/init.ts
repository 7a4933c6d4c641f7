import { Complaint } from '../complaint.js'

export async function run(_argv: readonly string[]): Promise<number> {
  throw new Complaint('init is not built yet.')
}
