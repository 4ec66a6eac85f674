import type { ComponentChildren, RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../../parts/icon.tsx'
import { later } from '../../../parts/later.tsx'
import { helperModel } from '../../../parts/play/play-models.ts'
import { priceText } from '../../../parts/play/price-text.ts'
import { texts } from '../../../texts/texts.ts'

const Dictation = later(() => import('./dictation.tsx').then((loaded) => loaded.Dictation))

interface DictationParts {
  /** Begins and cancels a dictation. Null if no transcription model is on this disk. */
  readonly button: ComponentChildren
  /** Running dictation */
  readonly panel: ComponentChildren
}

/** Dictates into a field, at its caret. */
export function useDictation(field: RefObject<HTMLTextAreaElement | null>): DictationParts {
  const [isOpen, setIsOpen] = useState(false)
  const model = helperModel('stt')
  if (model === undefined) return { button: null, panel: null }

  const end = () => {
    setIsOpen(false)
    field.current?.focus()
  }
  return {
    button: (
      <button
        type="button"
        class="quiet icon-button"
        title={texts.voice.dictateBy(model.id, priceText(model))}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="mic" /> <span class="unseen">{texts.voice.dictate}</span>
      </button>
    ),
    panel: isOpen && <Dictation {...{ model: model.id, field }} onEnd={end} />,
  }
}
