import type { OperationName } from '../../../src/operations/operations.ts'
import { perform } from '../../api/operation.ts'
import { texts } from '../../texts/operator-texts.ts'
import { type Account, nameOf } from './account-name.ts'

/** Switch of an account, as the action that turns it on or off. */
interface Switch {
  /** Operation that it performs */
  readonly needs: OperationName
  readonly button: string
  readonly title: string
  readonly text: string
  readonly done: string
  readonly isDangerous: boolean
  /** Performs the action. Resolves with the secret link to hand on, if there is one. */
  readonly run: () => Promise<string | undefined>
}

const roles = Object.keys(texts.roles) as (keyof typeof texts.roles)[]

/** Returns the switches of an account. The operator's own has none: it stays unmetered, enabled and an operator's. */
export function switchesOf(account: Account): Switch[] {
  const { id, isUnmetered, role, hasSecondFactor, disabledMs } = account
  const words = texts.account
  const who = nameOf(account)
  const isDisabled = disabledMs !== null
  return [
    {
      needs: 'accounts-set-unmetered',
      button: isUnmetered ? words.meter : words.unmeter,
      title: isUnmetered ? words.meterTitle(who) : words.unmeterTitle(who),
      text: isUnmetered ? words.meterText : words.unmeterText,
      done: words.metered(who),
      isDangerous: false,
      run: () => nothing(perform('accounts-set-unmetered', { account: id, isUnmetered: !isUnmetered })),
    },
    ...(account.kind === 'team' ? [] : roles.filter((next) => next !== role)).map((next) => ({
      needs: 'accounts-set-role' as const,
      button: words.roleButton(texts.roles[next]),
      title: words.roleTitle(who, texts.roles[next]),
      text: next === 'member' ? words.memberText : words.roleText[next],
      done: words.roleChanged(who),
      isDangerous: false,
      run: async () => {
        await perform('accounts-set-role', { account: id, role: next })
        return role === 'member' ? (await perform('admin-link', { account: id })).link : undefined
      },
    })),
    ...(hasSecondFactor
      ? [
          {
            needs: 'accounts-remove-second-factor' as const,
            button: words.removeFactor,
            title: words.removeFactorTitle(who),
            text: words.removeFactorText,
            done: words.removedFactor(who),
            isDangerous: true,
            run: () => nothing(perform('accounts-remove-second-factor', { account: id })),
          },
        ]
      : []),
    {
      needs: 'accounts-set-disabled',
      button: isDisabled ? words.enable : words.disable,
      title: isDisabled ? words.enableTitle(who) : words.disableTitle(who),
      text: isDisabled ? words.enableText : words.disableText,
      done: isDisabled ? words.enabled(who) : words.disabled(who),
      isDangerous: !isDisabled,
      run: () => nothing(perform('accounts-set-disabled', { account: id, isDisabled: !isDisabled })),
    },
    {
      needs: 'accounts-erase',
      ...{ button: words.erase, title: words.eraseTitle(who), text: words.eraseText, done: words.erased(who) },
      isDangerous: true,
      run: () => nothing(perform('accounts-erase', { account: id })),
    },
  ]
}

async function nothing(done: Promise<unknown>): Promise<undefined> {
  await done
}
