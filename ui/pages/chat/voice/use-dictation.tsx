import type { ComponentChildren, ComponentType, RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { noConnection } from '../../../api/failure.ts'
import { alarm } from '../../../parts/announce.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { helperModel } from '../../../parts/play/play-models.ts'
import { priceText } from '../../../parts/play/price-text.ts'
import { texts } from '../../../texts/texts.ts'
import type { DictationProps } from './dictation.tsx'

interface DictationParts {
  /** Begins and cancels a dictation. Null if no transcription model is on this disk. */
  readonly button: ComponentChildren
  /** Running dictation. Null without one. */
  readonly panel: ComponentChildren
}

/** Dictates into a field, at its caret. The code is loaded with the first dictation. */
export function useDictation(field: RefObject<HTMLTextAreaElement>): DictationParts {
  const [loaded, setLoaded] = useState<{ readonly Dictation: ComponentType<DictationProps> }>()
  const [isOpen, setIsOpen] = useState(false)
  const model = helperModel('stt')
  if (model === undefined) return { button: null, panel: null }

  const toggle = () => {
    setIsOpen(!isOpen)
    if (loaded !== undefined) return
    import('./dictation.tsx').then(setLoaded, () => {
      setIsOpen(false)
      alarm(noConnection().message)
    })
  }
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
        onClick={toggle}
      >
        <Icon name="mic" /> <span class="unseen">{texts.voice.dictate}</span>
      </button>
    ),
    panel: isOpen && loaded !== undefined && <loaded.Dictation {...{ model: model.id, field }} onEnd={end} />,
  }
}
