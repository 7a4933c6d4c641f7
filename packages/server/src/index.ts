// The team server, for the command that starts it and for tests.

export { Complaint } from './complaint.js'
