/** Nothing can be made of a file. The message completes "The file cannot be decoded: …". */
export class Undecodable extends Error {
  override name = 'Undecodable'
}
