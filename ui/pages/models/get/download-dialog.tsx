import { useState } from 'preact/hooks'
import type { OperationJson } from '../../../../src/operations/money-text.ts'
import { followDownload } from '../../../api/downloads.ts'
import { perform, useResult } from '../../../api/operation.ts'
import { tell } from '../../../parts/announce.tsx'
import { bytesText } from '../../../parts/bytes-text.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import { Figures } from '../../../parts/figures.tsx'
import { Form } from '../../../parts/form.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { texts } from '../../../texts/get-texts.ts'
import { fitText } from '../model-state.ts'
import { DownloadProgress } from './download-progress.tsx'

export interface PullAsked {
  readonly source: string
  /** Id on this server of a model that is not in the catalog */
  readonly id?: string
  /** True to fetch the repository's projector too */
  readonly withProjector?: boolean
  /** Operator's password, for another box that is shown this one's key */
  readonly current?: string
}

interface DownloadDialogProps {
  readonly asked: PullAsked
  /** Licence that the hub states, for a model whose files state none */
  readonly hubLicense?: string | undefined
  readonly onClose: () => void
  /** Leads back to the choice. Undefined if there was none; then cancelling closes the dialog. */
  readonly onBack?: () => void
  readonly onBegun: () => void
}

type Preview = OperationJson<'models-pull-preview'>

/**
 * Asks before a download, which may take hours and most of the disk: shows its size, the free space, whether the model
 * fits into memory, and its licence. Shows its progress once it has begun.
 */
export function DownloadDialog({ asked, hubLicense, onClose, onBack = onClose, onBegun }: DownloadDialogProps) {
  const preview = useResult('models-pull-preview', asked)
  const [begun, setBegun] = useState<string>()
  const words = texts.models
  const license = preview.data?.license
  if (begun !== undefined)
    return (
      <Dialog title={texts.downloads.progressOf(begun)} onClose={onClose}>
        <DownloadProgress model={begun} onClose={onClose} />
      </Dialog>
    )
  return (
    <Dialog title={words.downloadTitle(preview.data?.model ?? asked.id ?? asked.source)} onClose={onClose}>
      <Loaded answer={preview}>{(shown) => <Facts {...shown} hubLicense={hubLicense} />}</Loaded>
      <Form
        button={preview.data === undefined ? words.getButton : words.downloadBytes(bytesText(preview.data.bytes))}
        isDisabled={preview.data === undefined}
        onCancel={onBack}
        onSend={async (field) => {
          const [id, accepted] = [field('id'), field('acceptLicense')]
          const sent = { ...asked, ...(id !== '' && { id }), ...(accepted !== '' && { acceptLicense: accepted }) }
          const { model } = await perform('models-pull', sent)
          tell(words.downloadBegun(model))
          followDownload(model)
          setBegun(model)
          onBegun()
        }}
      >
        {asked.id !== undefined && (
          <Field
            {...{ label: texts.getModel.newId, name: 'id', hint: texts.getModel.newIdHint, maxLength: 200 }}
            {...{ defaultValue: asked.id, required: true }}
          />
        )}
        {license?.mustAccept === true && (
          <label class="check">
            <input type="checkbox" name="acceptLicense" value={license.name} required />{' '}
            {texts.getModel.accept(license.name)}
          </label>
        )}
      </Form>
    </Dialog>
  )
}

type FactsProps = Preview & Pick<DownloadDialogProps, 'hubLicense'>

function Facts({ bytes, freeDiskBytes, fit, license, hubLicense }: FactsProps) {
  const words = texts.models
  return (
    <>
      <Figures
        items={[
          [words.downloadSize, bytesText(bytes)],
          [words.diskFree, bytesText(freeDiskBytes)],
          [words.diskAfter, bytesText(Math.max(0, freeDiskBytes - bytes))],
          [
            texts.getModel.license,
            license === null ? (hubLicense ?? texts.getModel.unknownLicense) : <License {...license} />,
          ],
        ]}
      />
      {bytes > freeDiskBytes && <p class="bad">{words.diskTooSmall}</p>}
      <p class={fit?.verdict === 'too-large' ? 'bad' : 'hint'}>{fit === null ? words.fitUnknown : fitText({ fit })}</p>
    </>
  )
}

function License({ name, url }: NonNullable<Preview['license']>) {
  if (url === null) return <>{name}</>
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {name}
    </a>
  )
}
