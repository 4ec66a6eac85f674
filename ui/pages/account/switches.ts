import { perform } from '../../api/operation.ts'
import { texts } from '../../texts/operator-texts.ts'
import { type Account, nameOf } from './account-name.ts'

/** Switch of an account, as the action that turns it on or off. */
interface Switch {
  readonly button: string
  readonly title: string
  readonly text: string
  readonly done: string
  readonly isDangerous: boolean
  /** Performs the action. Resolves with the secret link to hand on, if there is one. */
  readonly run: () => Promise<string | undefined>
}

/** Returns the switches of an account. The operator's own has none: it stays unmetered, enabled and an operator's. */
export function switchesOf(account: Account): Switch[] {
  const { id, isUnmetered, role, hasSecondFactor, disabledMs } = account
  const words = texts.account
  const who = nameOf(account)
  const isOperator = role === 'operator'
  const isDisabled = disabledMs !== null
  return [
    {
      button: isUnmetered ? words.meter : words.unmeter,
      title: isUnmetered ? words.meterTitle(who) : words.unmeterTitle(who),
      text: isUnmetered ? words.meterText : words.unmeterText,
      done: words.metered(who),
      isDangerous: false,
      run: () => nothing(perform('accounts-set-unmetered', { account: id, isUnmetered: !isUnmetered })),
    },
    {
      button: isOperator ? words.takeOperator : words.makeOperator,
      title: isOperator ? words.notOperatorTitle(who) : words.operatorTitle(who),
      text: isOperator ? words.notOperatorText : words.operatorText,
      done: words.operatorChanged(who),
      isDangerous: false,
      run: async () => {
        await perform('accounts-set-role', { account: id, role: isOperator ? 'member' : 'operator' })
        return isOperator ? undefined : (await perform('admin-link', { account: id })).link
      },
    },
    ...(hasSecondFactor
      ? [
          {
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
      button: isDisabled ? words.enable : words.disable,
      title: isDisabled ? words.enableTitle(who) : words.disableTitle(who),
      text: isDisabled ? words.enableText : words.disableText,
      done: isDisabled ? words.enabled(who) : words.disabled(who),
      isDangerous: !isDisabled,
      run: () => nothing(perform('accounts-set-disabled', { account: id, isDisabled: !isDisabled })),
    },
    {
      ...{ button: words.erase, title: words.eraseTitle(who), text: words.eraseText, done: words.erased(who) },
      isDangerous: true,
      run: () => nothing(perform('accounts-erase', { account: id })),
    },
  ]
}

async function nothing(done: Promise<unknown>): Promise<undefined> {
  await done
}
