"""Runs a command, and meanwhile passes connections to 127.0.0.1:PORT on to a unix socket.

relay.py SOCKET PORT COMMAND...: inside of a sandbox the socket is the only way out, and package installers cannot speak
through one. Ends as the command ends; 128 + n for signal n.
"""

import os
import socket
import sys
import threading


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end, how in ((source, socket.SHUT_RD), (target, socket.SHUT_WR)):
        try:
            end.shutdown(how)
        except OSError:
            pass


def serve(path, client):
    with client, socket.socket(socket.AF_UNIX) as proxy:
        try:
            proxy.connect(path)
        except OSError:
            return
        back = threading.Thread(target=copy, args=(proxy, client), daemon=True)
        back.start()
        copy(client, proxy)
        back.join()


def accept(path, listener):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(path, client), daemon=True).start()


def told(path):
    """The variables that lie beside the socket, for the command alone."""
    with open(os.path.join(os.path.dirname(path), "environment"), encoding="utf-8") as file:
        return dict(line.split("=", 1) for line in file.read().split("\0") if line)


def main():
    path, port, *command = sys.argv[1:]
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=64)
    child = os.fork()
    if child == 0:
        listener.close()
        try:
            os.execvpe(command[0], command, {**os.environ, **told(path)})
        except OSError as error:
            print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)
            os._exit(127 if isinstance(error, FileNotFoundError) else 126)
    threading.Thread(target=accept, args=(path, listener), daemon=True).start()
    status = os.waitpid(child, 0)[1]
    # `os.waitstatus_to_exitcode` came with Python 3.9.
    os._exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


main()
