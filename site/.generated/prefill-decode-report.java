@Override
public void run() {
  final TransferReport report = new TransferReport();
  int written = 0;
  try (socket) {
    final DataInputStream in = connect();
    final ByteBuffer block = ByteBuffer.allocate(blocks.blockBytes());
    while (written < targets.length) {
      in.readFully(block.array());
      blocks.write(targets[written], block.clear());
      written++;
    }
    socket.getOutputStream().write(BlockServer.HAS_ALL);
  } catch (IOException | RuntimeException e) {
    while (written < targets.length) { // the engine computes these, or ends the request
      report.invalid(targets[written++]);
    }
  }
  report.received(requestNumber); // nothing is written any more
  sink.report(report);
}

