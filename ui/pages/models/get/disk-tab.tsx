import { useState } from 'preact/hooks'
import type { OperationJson } from '../../../../src/operations/money-text.ts'
import { followDownload } from '../../../api/downloads.ts'
import { perform } from '../../../api/operation.ts'
import { bytesText } from '../../../parts/bytes-text.ts'
import { shellQuoted } from '../../../parts/code-text.ts'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Field } from '../../../parts/field.tsx'
import { Figures } from '../../../parts/figures.tsx'
import { Form } from '../../../parts/form.tsx'
import { ownCommand } from '../../../parts/own-command.ts'
import { Table } from '../../../parts/table.tsx'
import { texts } from '../../../texts/get-texts.ts'
import { fitText } from '../model-state.ts'

type Found = OperationJson<'models-find'>
type Bundle = Extract<Found, { kind: 'bundle' }>
type Model = Extract<Found, { kind: 'model' }>

interface DiskTabProps {
  /** Called when the import of a model has begun. */
  readonly onBegun: (model: string) => void
}

/** Takes a model or a bundle from a disk of the server, at a path that the operator types. */
export function DiskTab({ onBegun }: DiskTabProps) {
  const [found, setFound] = useState<Found & { readonly path: string }>()
  const words = texts.getModel
  return (
    <div class="stack">
      <Form
        button={words.look}
        onSend={async (field) => {
          const path = field('path')
          setFound(undefined)
          setFound({ ...(await perform('models-find', { path })), path })
        }}
      >
        <Field
          {...{ label: words.path, name: 'path', hint: words.pathHint, placeholder: '/media/…' }}
          {...{ maxLength: 4_000, required: true, isFirst: true }}
        />
      </Form>
      {found?.kind === 'model' && <FoundModel key={found.path} {...found} onBegun={onBegun} />}
      {found?.kind === 'bundle' && <FoundBundle {...found} />}
      {found === undefined && (
        <p class="hint">
          {words.makeBundle} <code>{words.commandBundle}</code>
        </p>
      )}
    </div>
  )
}

/** Asks before an import: size, free disk, fit, and the id. */
function FoundModel({ path, description, bytes, id, fit, freeDiskBytes, onBegun }: Model & DiskTabProps & AtPath) {
  const words = texts.getModel
  return (
    <section class="stack">
      <h3>{description}</h3>
      <Figures
        items={[
          [words.fileColumns.size, bytesText(bytes)],
          [texts.models.diskFree, bytesText(freeDiskBytes)],
        ]}
      />
      {fit !== null && <p class={fit.verdict === 'too-large' ? 'bad' : 'hint'}>{fitText({ fit })}</p>}
      <Form
        button={words.import}
        onSend={async (field) => {
          const { model } = await perform('models-import', { path, id: field('id') })
          followDownload(model)
          onBegun(model)
        }}
      >
        <Field
          {...{ label: words.newId, name: 'id', hint: words.newIdHint, maxLength: 200, defaultValue: id }}
          required
        />
      </Form>
      <p class="hint">{words.importText}</p>
    </section>
  )
}

interface AtPath {
  readonly path: string
}

/** Shows what a bundle holds, and the command that installs it: that asks for licences and all its disks. */
function FoundBundle({ path, models }: Bundle & AtPath) {
  const words = texts.getModel
  const command = ownCommand(words.commandInstall(shellQuoted(path)))
  return (
    <section class="stack">
      <h3>{words.bundle(models.length)}</h3>
      <Table
        caption={words.bundle(models.length)}
        columns={[
          { title: texts.models.columns.model, cell: ({ id }) => <span class="breaks">{id}</span> },
          { title: words.fileColumns.size, isNumber: true, cell: ({ bytes }) => bytesText(bytes) },
          { title: texts.models.columns.state, cell: ({ isHere }) => (isHere ? words.isHere : words.isNotHere) },
        ]}
        rows={models}
        rowKey={({ id }) => id}
      />
      <p>{words.bundleText}</p>
      <p class="row">
        <code>{command}</code> <CopyButton text={command} what={words.bundle(models.length)} />
      </p>
    </section>
  )
}
