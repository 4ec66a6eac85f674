/** What was asked for can not be meant: wrong usage. */
export class InputError extends Error {
  override name = 'InputError'
}

/** It was understood and can not be done. The message is one line: why, and the next step. */
export class OperationError extends Error {
  override name = 'OperationError'
}
