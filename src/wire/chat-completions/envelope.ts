/** What is the same in every object of one answer. */
export interface Envelope {
  /** `chatcmpl-…` */
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  /** The model id as the client spelled it. */
  readonly model: string
  /** Changes when the same seed may give other text: a new version of the server. */
  readonly fingerprint: string
}
