import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { alarm, announce } from '../../parts/announce.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { RowMenu } from '../../parts/row-menu.tsx'
import { saveFile } from '../../parts/save-text.ts'
import { texts } from '../../texts/texts.ts'
import type { Chats } from './kept/chats.ts'

/** Exports, imports or deletes all conversations. */
export function AllMenu({ chats }: { readonly chats: Chats }) {
  const picker = useRef<HTMLInputElement>(null)
  const isAsking = useSignal(false)
  const close = () => {
    isAsking.value = false
  }
  const isEmpty = chats.list.value.length === 0
  return (
    <>
      <RowMenu
        label={texts.chat.allActions}
        items={[
          { label: texts.chat.import, onChoose: () => picker.current?.click() },
          { label: texts.chat.exportAll, onChoose: () => void exportFile(chats), isDisabled: isEmpty },
          {
            label: texts.chat.removeAll,
            isDangerous: true,
            onChoose: () => {
              isAsking.value = true
            },
          },
        ]}
      />
      <input
        ref={picker}
        hidden
        type="file"
        aria-label={texts.chat.import}
        accept="application/json,.json"
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          currentTarget.value = ''
          if (file !== undefined) void importFile(chats, file)
        }}
      />
      {isAsking.value && (
        <FormDialog
          title={texts.chat.removeAll}
          text={texts.chat.removeAllText}
          button={texts.chat.remove}
          isDangerous
          onClose={close}
          onSend={async () => {
            await chats.removeAll()
            close()
          }}
        />
      )}
    </>
  )
}

/** Saves a conversation as a file, or all of them. */
export async function exportFile(chats: Chats, id?: number): Promise<void> {
  const name = id === undefined ? 'conversations.json' : 'conversation.json'
  await chats.file(id).then(
    (file) => saveFile(name, file),
    () => alarm(texts.chat.notExported),
  )
}

async function importFile(chats: Chats, file: File): Promise<void> {
  try {
    const count = await chats.import(await file.text())
    if (count === undefined) alarm(texts.chat.notImported(file.name))
    else announce(texts.chat.imported(count))
  } catch {
    alarm(texts.chat.notKept)
  }
}
