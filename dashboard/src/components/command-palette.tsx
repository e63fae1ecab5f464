import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { describeError } from "../api/describe";
import { Dialog } from "../ui/dialog";
import { counted } from "../ui/format";
import { Icon } from "../ui/icon";
import { useCommands, type Command } from "./use-commands";

interface CommandPaletteProps {
  onClose: () => void;
  showShortcuts: () => void;
}

interface OptionProps {
  id: string;
  command: Command;
  isActive: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, command: { label, note, icon }, isActive, onPoint, onChoose }: OptionProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isActive) button.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    <button
      ref={button}
      id={id}
      type="button"
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onMouseMove={onPoint}
      onClick={onChoose}
      className="flex min-h-9 w-full items-center gap-2.5 rounded-md border border-transparent px-2.5 py-1 text-start aria-selected:border-accent aria-selected:bg-accent-soft"
    >
      <Icon name={icon} className="text-muted" />
      <span className="min-w-0 flex-1 wrap-anywhere">{label}</span>
      {note && <span className="max-w-[50%] text-end text-xs text-muted">{note}</span>}
    </button>
  );
}

/** Goes to a page, source, repository or run, or does something, by a few letters. */
export function CommandPalette({ onClose, showShortcuts }: CommandPaletteProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string>();
  const { commands, isSearching, error } = useCommands(text, showShortcuts);
  useEffect(() => input.current?.focus(), []);

  // Results that come later do not move the choice.
  const at = Math.max(
    0,
    commands.findIndex(({ key }) => key === chosen),
  );
  const active = commands[at];
  const idOf = (command: Command) => `${id}-${commands.indexOf(command)}`;
  const choose = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setChosen(commands[(at + step + commands.length) % commands.length]?.key);
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) choose(active);
    else return;
    event.preventDefault();
  };
  const groups = [...new Set(commands.map(({ group }) => group))];
  const status = isSearching
    ? "Searching"
    : error
      ? describeError(error).title
      : commands.length === 0
        ? "Nothing fits"
        : counted(commands.length, "result");
  return (
    <Dialog title="Go to a page, source or run" isPalette onClose={onClose}>
      <div className="flex items-center gap-2 border-b border-line px-3 focus-within:border-accent">
        <Icon name={isSearching ? "spinner" : "search"} className="text-muted" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label="Page, source, repository, run or action"
          aria-expanded={commands.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active && idOf(active)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="Page, source, repository or run"
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(undefined);
          }}
          className="h-12 w-full min-w-0 bg-transparent text-base outline-none"
        />
        <button
          type="button"
          aria-label="Close"
          onClick={onClose}
          className="grid size-8 shrink-0 place-items-center rounded text-muted hover:text-ink"
        >
          <Icon name="close" />
        </button>
      </div>
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Results"
        className="max-h-[min(26rem,60dvh)] overflow-y-auto p-2"
      >
        {groups.map((group) => (
          <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
            <p id={`${id}-${group}`} role="presentation" className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted">
              {group}
            </p>
            {commands
              .filter((command) => command.group === group)
              .map((command) => (
                <Option
                  key={command.key}
                  id={idOf(command)}
                  command={command}
                  isActive={command === active}
                  onPoint={() => setChosen(command.key)}
                  onChoose={() => choose(command)}
                />
              ))}
          </div>
        ))}
      </div>
      <p role="status" className="border-t border-line px-4 py-2 text-xs text-muted">
        {status}
      </p>
    </Dialog>
  );
}
