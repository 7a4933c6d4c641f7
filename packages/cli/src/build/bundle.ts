export async function bundle(_file: string, _out: string): Promise<void> {
  throw new Error('stand-in')
}
