import { choosePayer, payer } from '../api/payer.ts'
import { me } from '../api/session.ts'
import { Money } from '../parts/money.tsx'
import { texts } from '../texts/texts.ts'

/** Chooses who pays for the playground, the account or one of its teams, and shows that balance. */
export function PayFrom() {
  const teams = me.value?.teams ?? []
  const team = teams.find(({ id }) => id === payer.value)
  const words = texts.keys
  return (
    <>
      <label class="pay-from">
        <span class="wide">{words.payFrom} </span>
        <select
          aria-label={words.payFrom}
          value={team?.id ?? ''}
          onChange={({ currentTarget: { value } }) => choosePayer(value || undefined)}
        >
          {[{ id: '', name: words.ownMoney }, ...teams].map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {team !== undefined && team.balanceUsd !== null && (
        <span class="balance wide">
          <span class="unseen">{texts.shell.balance}</span> <Money usd={team.balanceUsd} />
        </span>
      )}
    </>
  )
}
