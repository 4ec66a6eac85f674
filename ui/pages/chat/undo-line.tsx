import { texts } from '../../texts/texts.ts'
import type { Undo } from './undo.ts'

/** Shows what was deleted, and the button that brings it back. */
export function UndoLine({ text, act }: Undo) {
  return (
    <p role="status" class="undo">
      {text}{' '}
      <button type="button" class="small" onClick={act}>
        {texts.chat.undo}
      </button>
    </p>
  )
}
