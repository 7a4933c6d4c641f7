import {
  Bot,
  ChevronDown,
  ChevronRight,
  CornerDownRight,
  FilePen,
  FileText,
  type LucideIcon,
  MessageSquare,
  Plug,
  Repeat,
  SquareTerminal,
  Webhook,
  Wrench,
} from 'lucide-react'
import type { CSSProperties } from 'react'
import { line } from '../words/plain.js'
import { span as took } from '../words/time.js'
import styles from './trace.module.css'
import type { AxisMark } from './trace-layout.js'
import type { Node } from './trace-tree.js'
import { barColour, Verdict } from './verdict.js'

export interface TraceRowProps {
  readonly id: string
  readonly node: Node
  readonly index: number
  readonly top: number
  readonly height: number
  readonly grid: CSSProperties
  readonly mark: AxisMark | null
  readonly side: 'in' | 'before' | 'after'
  readonly isSelected: boolean
  readonly isOpen: boolean
  readonly isShut: boolean
  readonly onPress: () => void
  readonly onToggle: () => void
}

/** Deeper rows show their level as a number instead of more indentation. */
const DEEPEST = 14
const INDENT_PX = 16
/** Smaller ones are drawn without details. */
const HATCHED_PX = 8
/** Verdicts that need attention; for others the bar is enough. */
const WORTH_A_WORD = new Set(['ask', 'deny', 'failed_open', 'failed', 'observed_deny'])

export function TraceRow(props: TraceRowProps) {
  const { node, mark, side, isShut } = props
  const { span, children, depth } = node
  const hasChildren = children.length > 0
  const indent = Math.min(depth, DEEPEST) * INDENT_PX
  return (
    <div
      id={props.id}
      role="row"
      aria-rowindex={props.index}
      aria-level={depth + 1}
      aria-selected={props.isSelected || props.isOpen}
      aria-expanded={hasChildren ? !isShut : undefined}
      data-open={props.isOpen || undefined}
      className={styles.row}
      style={{ height: props.height, transform: `translateY(${props.top}px)`, ...props.grid }}
      onClick={props.onPress}
    >
      <span role="gridcell" className={styles.name} style={{ paddingLeft: indent }}>
        {hasChildren ? (
          <span
            className={styles.fold}
            aria-hidden="true"
            onClick={event => {
              event.stopPropagation()
              props.onToggle()
            }}
          >
            {isShut ? <ChevronRight size={14} /> : <ChevronDown size={14} />}
          </span>
        ) : (
          <span className={styles.fold} aria-hidden="true" />
        )}
        <Name node={node} />
        {WORTH_A_WORD.has(span.verdict) ? <Verdict name={span.verdict} /> : null}
        {isShut ? <span className={styles.count}>{children.length}</span> : null}
      </span>
      <span role="gridcell" className={styles.lane}>
        {mark ? (
          <Bar node={node} mark={mark} />
        ) : side !== 'in' ? (
          <span className={styles.away} data-side={side}>
            {side === 'before' ? '‹ earlier' : 'later ›'}
          </span>
        ) : null}
      </span>
      <span role="gridcell" className={styles.took} title={tookTitle(node)}>
        {tookWords(node)}
      </span>
    </div>
  )
}

function Name({ node: { span } }: { readonly node: Node }) {
  const isHook = span.kind === 'hook'
  const Icon = ICONS[span.kind] ?? CornerDownRight
  const name = isHook ? span.name : span.subject || span.name
  const isCode = !isHook && span.subject !== '' && span.kind !== 'prompt' && span.kind !== 'session'
  return (
    <>
      <span className={styles.kind} data-hook={isHook || undefined}>
        <Icon size={14} aria-hidden="true" />
        {line(kindWords(span))}
      </span>
      <span className={isCode ? `mono ${styles.words}` : styles.words} title={line(name).slice(0, 500)}>
        {line(name.slice(0, 300))}
      </span>
    </>
  )
}

const ICONS: Readonly<Record<string, LucideIcon>> = {
  session: Bot,
  prompt: MessageSquare,
  loop: Repeat,
  subagent: Bot,
  tool: Wrench,
  shell: SquareTerminal,
  read: FileText,
  edit: FilePen,
  mcp: Plug,
  hook: Webhook,
}

/** Loops show the number of follow-ups. */
const kindWords = ({ kind, name, source }: Node['span']): string =>
  kind === 'hook' ? source || kind : kind === 'loop' ? name.toLowerCase() : kind

function Bar({ node: { span, isOpen }, mark }: { readonly node: Node; readonly mark: AxisMark }) {
  const isHook = span.kind === 'hook'
  const isHatched = span.verdict === 'failed_open' && isHook && mark.width >= HATCHED_PX
  return (
    <>
      <span
        className={styles.bar}
        data-hook={isHook || undefined}
        data-hatched={isHatched || undefined}
        data-open={(isOpen && mark.width >= HATCHED_PX) || undefined}
        data-cut={`${mark.cutLeft ? 'left' : ''} ${mark.cutRight ? 'right' : ''}`.trim() || undefined}
        style={{
          left: mark.left,
          width: mark.width,
          ...(isHook && !isHatched ? { background: barColour(span.verdict) } : {}),
        }}
      />
      {span.verdict === 'deny' ? <span className={styles.deny} style={{ left: mark.left }} /> : null}
    </>
  )
}

const tookWords = ({ start, end, isOpen, isSkewed }: Node): string =>
  isSkewed ? '?' : isOpen ? (end > start ? `≥ ${took(end - start)}` : '–') : took(end - start)

const tookTitle = ({ isOpen, isSkewed }: Node): string | undefined =>
  isSkewed ? 'It ended before it began: two clocks differ.' : isOpen ? 'Its end is unknown.' : undefined
