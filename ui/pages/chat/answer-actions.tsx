import { useId, useState } from 'preact/hooks'
import { me } from '../../api/session.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { later } from '../../parts/later.tsx'
import type { ReceiptFigures } from '../../parts/play/receipt.ts'
import { shortFigures } from '../../parts/play/short-figures.ts'
import { texts } from '../../texts/texts.ts'
import type { Versions } from './kept/tree.ts'
import type { Step } from './step.ts'
import { VersionChoice } from './version-choice.tsx'
import { ReadAloudButton } from './voice/read-aloud-button.tsx'

interface AnswerActionsProps {
  readonly step: Step
  readonly versions?: Versions
  readonly onVersion: (id: number) => void
  /** Requests another answer. Undefined if it cannot be had now. */
  readonly onRedo?: () => void
  /** Called when more is shown. */
  readonly onShown: () => void
}

const AnswerDetails = later(() => import('./answer-details.tsx').then((loaded) => loaded.AnswerDetails))

/** Shows what can be done with an answer in one row, which opens to its figures, code and raw form. */
export function AnswerActions({ step, versions, onVersion, onRedo, onShown }: AnswerActionsProps) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const receipt = step.receipt.value
  const words = receipt === undefined ? '' : wordsOf(receipt)
  const hasDetails = receipt !== undefined || step.request !== undefined
  return (
    <>
      <div class="turn-actions">
        {step.text !== '' && <CopyButton text={step.text} what={texts.chat.answer} isIcon />}
        <ReadAloudButton text={step.text} />
        {onRedo !== undefined && <IconButton icon="rotate-cw" label={texts.chat.redo} onClick={onRedo} />}
        {versions !== undefined && (
          <VersionChoice label={texts.chat.versions.answer} versions={versions} onChoose={onVersion} />
        )}
        {hasDetails && (
          <button
            type="button"
            class="quiet small details-button"
            title={texts.chat.detailsHint}
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={() => setIsOpen(!isOpen)}
          >
            <span class="words">{words === '' ? texts.chat.details : words}</span>
            {words !== '' && <span class="unseen">, {texts.chat.details}</span>}
            <Icon name="chevron-down" />
          </button>
        )}
      </div>
      {isOpen && hasDetails && <AnswerDetails id={id} step={step} onShown={onShown} />}
    </>
  )
}

/** Accounts that pay nothing see the cost, others what they paid. */
function wordsOf(receipt: ReceiptFigures): string {
  return shortFigures(receipt, me.value?.isUnmetered === true ? receipt.costUsd : receipt.chargedUsd)
}
