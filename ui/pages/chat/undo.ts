/** The last change that removed content, and its reversal. */
export interface Undo {
  /** Description of the change. */
  readonly text: string
  readonly act: () => void
}
