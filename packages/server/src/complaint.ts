// Something that the person who starts or calls the server can mend. It says what, where and how.

export class Complaint extends Error {
  override readonly name = 'Complaint'
}
