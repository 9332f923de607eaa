package dev.headway.examples.prefilldecode;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.kvcache.connector.TransferSink;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.TransferReport;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/**
 * Fetches blocks of one request from a {@link BlockServer}, and reports which of them are not
 * there. Runs on a thread of its own.
 */
final class BlockFetch implements Runnable {

  private final long requestNumber;
  private final String remoteId;
  private final InetSocketAddress address;
  private final int from;
  private final int[] targets;
  private final KvBlockAccess blocks;
  private final TransferSink sink;
  private final Socket socket = new Socket();

  /**
   * Fetches from block {@code from} of the request on.
   *
   * @param targets where to, as many as are wanted
   */
  BlockFetch(
      RequestView request, int from, int[] targets, KvBlockAccess blocks, TransferSink sink) {
    this.requestNumber = request.number();
    this.remoteId = TransferParams.remoteId(request.request());
    this.address = TransferParams.address(request.request());
    this.from = from;
    this.targets = targets;
    this.blocks = blocks;
    this.sink = sink;
  }

  /** Only says that the blocks are not needed. */
  static BlockFetch ofNothing(RequestView request, KvBlockAccess blocks) {
    return new BlockFetch(request, Integer.MAX_VALUE, new int[0], blocks, report -> {});
  }

  /** Ends it early. Any thread. */
  void cancel() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("a socket could not be closed", e);
    }
  }

  // @start region="report"
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

  // @end

  /** Asks for the blocks; returns where they come. */
  private DataInputStream connect() throws IOException {
    socket.setSoTimeout(BlockServer.SILENCE_MS);
    socket.connect(address, BlockServer.SILENCE_MS);
    final DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeUTF(remoteId);
    out.writeInt(from);
    out.flush();
    final DataInputStream in =
        new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    final int offered = in.readInt();
    if (offered == BlockServer.NOT_OFFERED) {
      throw new EOFException("no such request is offered: id=" + remoteId + ", from=" + address);
    }
    final String layout = in.readUTF();
    final int blockBytes = in.readInt();
    if (!layout.equals(blocks.layout()) || blockBytes != blocks.blockBytes()) {
      throw new IOException(
          "both engines must keep KV alike: theirs="
              + layout
              + ", blockBytes="
              + blockBytes
              + ", ours="
              + blocks.layout()
              + ", blockBytes="
              + blocks.blockBytes());
    }
    if (targets.length > 0 && offered < from + targets.length) {
      throw new EOFException(
          "all blocks must be offered: offered=" + offered + ", wanted=" + (from + targets.length));
    }
    return in;
  }
}
