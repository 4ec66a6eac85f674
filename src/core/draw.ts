/** Pictures that a model makes from a text. */

export interface DrawRequest {
  /** Text that describes the pictures. Never empty. */
  readonly prompt: string
  /** Number of pictures, at least 1. */
  readonly count: number
  /** Wishes such as the size, named as the dialect names them. The model's server judges their values. */
  readonly options: Readonly<Record<string, string | number>>
}

export interface DrawnImage {
  readonly type: 'image'
  /** PNG, JPEG or WebP file as base64. */
  readonly base64: string
  /** Prompt that the server used in place of the request's. Absent if it states none. */
  readonly usedPrompt?: string
}
