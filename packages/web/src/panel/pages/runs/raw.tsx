// The record of a run as it is in the log; loaded with the dialog, and released with it.

import { useQuery } from '@connectrpc/connect-query'
import { PanelService } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import { Block, LongText } from '../../../parts/long-text.js'
import { Region } from '../../../parts/states.js'
import { Dialog } from '../../../shell/dialog.js'
import styles from './runs.module.css'

export interface RawRecordProps {
  readonly id: string
  readonly onCopy: (text: string) => void
  readonly onClose: () => void
}

export function RawRecord({ id, onCopy, onClose }: RawRecordProps) {
  const record = useQuery(PanelService.method.getRunText, { id, text: 'recordJson' }, { gcTime: 0 })
  const text = record.data?.text
  return (
    <Dialog title="Raw record" wide onClose={onClose}>
      <Region of={record}>
        {({ text }) => (
          <LongText
            label="Record"
            text={text}
            isJson
            file={`run-${id}.json`}
            draw={shown => <Block label="Record" text={shown} isTall />}
          />
        )}
      </Region>
      <div className={styles.actions}>
        <Button busy={text === undefined} onClick={() => onCopy(text!)}>
          Copy all
        </Button>
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
