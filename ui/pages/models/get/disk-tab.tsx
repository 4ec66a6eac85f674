import { CopyButton } from '../../../parts/copy-button.tsx'
import { ownCommand } from '../../../parts/own-command.ts'
import { texts } from '../../../texts/operator-texts.ts'

/** Names the ways of a box without a network. */
export function DiskTab() {
  const words = texts.getModel
  const commands = [
    [words.file, words.fileText, ownCommand(words.commandImport)],
    [words.bundle, words.bundleText, ownCommand(words.commandInstall)],
  ] as const
  return (
    <div class="stack">
      {commands.map(([title, text, command]) => (
        <section key={title}>
          <h3>{title}</h3>
          <p>{text}</p>
          <p class="row">
            <code>{command}</code> <CopyButton text={command} what={title} />
          </p>
        </section>
      ))}
    </div>
  )
}
