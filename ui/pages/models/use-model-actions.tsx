/** Actions on a model, for its row and its own page. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { OperationName } from '../../../src/operations/operations.ts'
import { asFailure } from '../../api/failure.ts'
import { perform } from '../../api/operation.ts'
import { mayPerform } from '../../api/session.ts'
import { alarm, announce } from '../../parts/announce.tsx'
import { bytesText } from '../../parts/bytes-text.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { later } from '../../parts/later.tsx'
import { texts } from '../../texts/operator-texts.ts'
import type { ActionsOf, ModelAction } from './model-buttons.tsx'
import { engineStateOf, isLoaded, isPulled, type LiveModel } from './model-state.ts'
import { RemoveDialog } from './remove-dialog.tsx'

const DownloadDialog = later(() => import('./get/download-dialog.tsx').then((loaded) => loaded.DownloadDialog))

interface Open {
  readonly kind: 'download' | 'unload' | 'restart' | 'remove'
  readonly model: LiveModel
}

export function useModelActions(onChanged: () => void): {
  readonly actionsOf: ActionsOf
  readonly dialog: ComponentChildren
} {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)

  /** Performs an action at once. Shows a failure at the foot of the page. */
  const attempt = async (id: string, work: () => Promise<unknown>, done: string) => {
    try {
      await work()
      announce(done)
    } catch (error) {
      alarm(texts.models.failedFor(id, asFailure(error).message))
    }
    onChanged()
  }
  /** Reports the success of a dialog's action and closes the dialog, which shows failures itself. */
  const finish = (done: string) => {
    announce(done)
    close()
    onChanged()
  }

  const actionsOf: ActionsOf = (model) => {
    const { row } = model
    const { id } = row
    const state = engineStateOf(model)
    const words = texts.models
    const unload = () => attempt(id, () => perform('models-unload', { model: id, drain: true }), words.unloaded(id))
    const isHere = row.status === 'ready'
    const mayStart = isHere && (state === 'stopped' || state === 'failed')
    const running = model.engine?.running ?? row.running
    const all: readonly (ModelAction & { readonly needs: OperationName; readonly isShown: boolean })[] = [
      {
        ...{ needs: 'models-pull-cancel', label: words.cancelDownload, isShown: isPulled(model), isMain: true },
        onChoose: () => void attempt(id, () => perform('models-pull-cancel', { model: id }), words.downloadEnded(id)),
      },
      {
        ...{
          needs: 'models-pull',
          label: row.stoppedBytes === null ? words.downloadIt : words.resume,
          isShown: !isHere && !isPulled(model) && row.status !== 'broken',
          isMain: true,
        },
        onChoose: () =>
          row.stoppedBytes === null
            ? setOpen({ kind: 'download', model })
            : void attempt(id, () => perform('models-pull', { source: id }), words.downloadBegun(id)),
      },
      {
        ...{ needs: 'models-load', label: words.load, isShown: mayStart && state === 'stopped', isMain: true },
        onChoose: () => void attempt(id, () => perform('models-load', { model: id }), words.loaded(id)),
      },
      {
        ...{ needs: 'models-unload', label: words.unload, isShown: isLoaded(model), isMain: true },
        onChoose: () => (running > 0 ? setOpen({ kind: 'unload', model }) : void unload()),
      },
      {
        ...{
          needs: 'engines-restart',
          label: words.restart,
          isShown: isLoaded(model) || state === 'failed',
          isMain: state === 'failed',
        },
        onChoose: () =>
          state === 'failed'
            ? void attempt(id, () => perform('engines-restart', { model: id }), words.restarted(id))
            : setOpen({ kind: 'restart', model }),
      },
      {
        ...{ needs: 'models-pin', label: words.pin, isShown: isHere && !row.isPinned },
        onChoose: () => void attempt(id, () => perform('models-pin', { model: id }), words.isPinned(id)),
      },
      {
        ...{ needs: 'models-unpin', label: words.unpin, isShown: row.isPinned },
        onChoose: () => void attempt(id, () => perform('models-unpin', { model: id }), words.isUnpinned(id)),
      },
      {
        ...{
          needs: 'models-remove',
          label: words.remove,
          isShown: (row.diskBytes > 0 || row.stoppedBytes !== null) && !row.isCarried && !isPulled(model),
          isDangerous: true,
        },
        onChoose: () => setOpen({ kind: 'remove', model }),
      },
    ]
    return all.filter(({ needs, isShown }) => isShown && mayPerform(needs))
  }

  return { actionsOf, dialog: open === undefined ? null : dialogOf(open) }

  function dialogOf({ kind, model }: Open) {
    const { row } = model
    const { id } = row
    const words = texts.models
    if (kind === 'download') return <DownloadDialog asked={{ source: id }} onClose={close} onBegun={onChanged} />
    if (kind === 'unload') {
      return (
        <FormDialog
          {...{ title: words.unloadTitle(id), text: words.unloadText(model.engine?.running ?? row.running) }}
          button={words.unload}
          onClose={close}
          onSend={async () => {
            await perform('models-unload', { model: id, drain: true })
            finish(words.unloaded(id))
          }}
        />
      )
    }
    if (kind === 'restart') {
      return (
        <FormDialog
          {...{ title: words.restartTitle(id), text: words.restartText, button: words.restart, isDangerous: true }}
          onClose={close}
          onSend={async () => {
            await perform('engines-restart', { model: id })
            finish(words.restarted(id))
          }}
        />
      )
    }
    return (
      <RemoveDialog
        id={id}
        size={bytesText(row.diskBytes)}
        onClose={close}
        onRemoved={() => finish(words.removed(id))}
      />
    )
  }
}
