import { useState } from 'preact/hooks'
import { perform } from '../../../api/operation.ts'
import { useAsked } from '../../../api/use-asked.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import { Form } from '../../../parts/form.tsx'
import { OwnPasswordField } from '../../../parts/operator/own-password-field.tsx'
import { Tabs } from '../../../parts/tabs.tsx'
import { texts } from '../../../texts/get-texts.ts'
import { DiskTab } from './disk-tab.tsx'
import { DownloadDialog, type PullAsked } from './download-dialog.tsx'
import { DownloadProgress } from './download-progress.tsx'
import { HubTab } from './hub-tab.tsx'
import { RepositoryFiles } from './repository-files.tsx'

interface GetDialogProps {
  readonly onClose: () => void
  /** Called when a download has begun or a model was added. */
  readonly onChanged: () => void
}

type Way = keyof typeof texts.getModel.tabs

/** Searches the hub, takes an address or a disk, and asks before a download. Asks the hub nothing by itself. */
export function GetDialog({ onClose, onChanged }: GetDialogProps) {
  const [way, setWay] = useState<Way>('hub')
  const [chosen, setChosen] = useState<PullAsked>()
  const [imported, setImported] = useState<string>()
  const search = useAsked((words: string) => perform('hub-search', { words, limit: 30 }))
  const files = useAsked((repository: string) => perform('hub-files', { repository }))
  const words = texts.getModel
  if (chosen !== undefined)
    return (
      <DownloadDialog
        asked={chosen}
        hubLicense={files.data?.repository.license ?? undefined}
        onClose={onClose}
        onBack={() => setChosen(undefined)}
        onBegun={onChanged}
      />
    )
  if (imported !== undefined)
    return (
      <Dialog title={words.importOf(imported)} onClose={onClose}>
        <DownloadProgress model={imported} isImport onClose={onClose} />
      </Dialog>
    )
  return (
    <Dialog title={words.title} onClose={onClose} look="wide">
      <Tabs<Way> label={words.ways} value={way} choices={words.tabs} onChange={setWay}>
        {way === 'hub' && files.input === undefined && (
          <HubTab search={search} onChoose={(repository) => void files.ask(repository)} onDisk={() => setWay('disk')} />
        )}
        {way === 'hub' && files.input !== undefined && (
          <RepositoryFiles files={files} repository={files.input} onChoose={setChosen} />
        )}
        {way === 'address' && (
          <AddressForm
            onFound={(asked) => {
              files.clear()
              setChosen(asked)
            }}
          />
        )}
        {way === 'disk' && (
          <DiskTab
            onBegun={(model) => {
              setImported(model)
              onChanged()
            }}
          />
        )}
      </Tabs>
    </Dialog>
  )
}

/** Takes a source of any kind that the server supports. Shows obstacles before the first byte is loaded. */
function AddressForm({ onFound }: { readonly onFound: (asked: PullAsked) => void }) {
  const [isPeer, setIsPeer] = useState(false)
  const words = texts.getModel
  return (
    <Form
      button={words.next}
      onSend={async (field) => {
        const id = field('id')
        const current = field('current')
        const asked = {
          source: field('source'),
          ...(id !== '' && { id }),
          ...(current !== '' && { current }),
        }
        await perform('models-pull-preview', asked)
        onFound(asked)
      }}
    >
      <Field
        {...{ label: words.source, name: 'source', hint: words.sourceHint, maxLength: 2_000, required: true }}
        onInput={({ currentTarget }) => setIsPeer(currentTarget.value.trim().startsWith('inferd:'))}
      />
      <Field label={words.newId} name="id" hint={words.newIdHintIfNew} maxLength={200} />
      {isPeer && <OwnPasswordField hint={words.ownPasswordHint} />}
    </Form>
  )
}
