import { useState } from 'preact/hooks'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { asFailure } from '../../api/failure.ts'
import { perform, useResult } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { bytesText } from '../../parts/bytes-text.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Figures } from '../../parts/figures.tsx'
import { Form } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { texts } from '../../texts/texts.ts'
import { fitText } from './model-state.ts'

export interface PullAsked {
  readonly source: string
  /** Id on this server of a model that is not in the catalog */
  readonly id?: string
}

interface DownloadDialogProps {
  readonly asked: PullAsked
  readonly onClose: () => void
  readonly onBegun: () => void
}

type Preview = OperationJson<'models-pull-preview'>

/**
 * Asks before a download, which may take hours and most of the disk: shows its size, the free space, and whether the
 * model fits into memory.
 */
export function DownloadDialog({ asked, onClose, onBegun }: DownloadDialogProps) {
  const preview = useResult('models-pull-preview', asked)
  const [needsLicense, setNeedsLicense] = useState(false)
  const words = texts.models
  return (
    <Dialog title={words.downloadTitle(preview.data?.model ?? asked.id ?? asked.source)} onClose={onClose}>
      <Loaded answer={preview}>{(shown) => <Facts {...shown} />}</Loaded>
      <Form
        button={preview.data === undefined ? words.getButton : words.downloadBytes(bytesText(preview.data.bytes))}
        isDisabled={preview.data === undefined}
        onCancel={onClose}
        onSend={async (field) => {
          const accepted = field('acceptLicense')
          try {
            const sent = { ...asked, ...(accepted !== '' && { acceptLicense: accepted }) }
            const { model } = await perform('models-pull', sent)
            announce(words.downloadBegun(model))
            onBegun()
          } catch (error) {
            if (asFailure(error).facts.param === 'acceptLicense') setNeedsLicense(true)
            throw error
          }
        }}
      >
        {needsLicense && (
          <Field label={words.license} name="acceptLicense" hint={words.licenseHint} maxLength={200} isFirst />
        )}
      </Form>
    </Dialog>
  )
}

function Facts({ bytes, freeDiskBytes, fit }: Preview) {
  const words = texts.models
  return (
    <>
      <Figures
        items={[
          [words.downloadSize, bytesText(bytes)],
          [words.diskFree, bytesText(freeDiskBytes)],
          [words.diskAfter, bytesText(Math.max(0, freeDiskBytes - bytes))],
        ]}
      />
      {bytes > freeDiskBytes && <p class="bad">{words.diskTooSmall}</p>}
      <p class={fit?.verdict === 'too-large' ? 'bad' : 'muted'}>{fit === null ? words.fitUnknown : fitText({ fit })}</p>
    </>
  )
}
