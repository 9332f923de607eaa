package dev.headway.examples.prefilldecode;

import dev.headway.api.executor.KvBlockAccess;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;

/**
 * Sends offered blocks to who asks for them. A connection is for one offer:
 *
 * <pre>
 * reader: id (UTF), index of the first block (int)
 * server: blocks offered (int, or NOT_OFFERED), layout (UTF), bytes of a block (int), the blocks
 * reader: HAS_ALL (byte)
 * </pre>
 *
 * <p>A reader that goes before its last byte leaves the offer as it was.
 */
final class BlockServer implements AutoCloseable {

  /** There is no such offer, or another reader is at it. */
  static final int NOT_OFFERED = -1;

  /** The reader needs the blocks no more. */
  static final int HAS_ALL = 1;

  /** How long either side waits for the other. */
  static final int SILENCE_MS = 30_000;

  private final KvBlockAccess blocks;
  private final Map<String, Offer> offers;
  private final BiConsumer<String, Offer> free;
  private final ServerSocket listening;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Listens on a port of the loopback interface.
   *
   * @param free gets each offer that is over
   */
  BlockServer(KvBlockAccess blocks, Map<String, Offer> offers, BiConsumer<String, Offer> free)
      throws IOException {
    this.blocks = blocks;
    this.offers = offers;
    this.free = free;
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  InetSocketAddress address() {
    return new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort());
  }

  void start() {
    threads.execute(this::accept);
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        final Socket socket = listening.accept();
        threads.execute(() -> serve(socket));
      } catch (IOException e) {
        // closed, or a reader that was gone at once
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setSoTimeout(SILENCE_MS);
      final DataInputStream in = new DataInputStream(socket.getInputStream());
      final DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
      final String id = in.readUTF();
      final int from = in.readInt();
      final Offer offer = offers.get(id);
      if (offer == null || !offer.begin(socket)) {
        out.writeInt(NOT_OFFERED);
        out.flush();
        return;
      }
      boolean taken = false;
      try {
        send(offer, from, out);
        taken = in.read() == HAS_ALL;
      } finally {
        if (offer.end(taken)) {
          free.accept(id, offer);
        }
      }
    } catch (IOException e) {
      // the reader is gone or silent; it, or another, may come again until the lease is over
    }
  }

  private void send(Offer offer, int from, DataOutputStream out) throws IOException {
    out.writeInt(offer.blockCount());
    out.writeUTF(blocks.layout());
    out.writeInt(blocks.blockBytes());
    final ByteBuffer block = ByteBuffer.allocate(blocks.blockBytes());
    for (int i = from; i < offer.blockCount(); i++) {
      blocks.read(offer.block(i), block.clear());
      out.write(block.array());
    }
    out.flush();
  }

  /** Returns when no thread reads a block; the offers must have been withdrawn. */
  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException("a socket could not be closed", e);
    }
    threads.shutdownNow();
    threads.close();
  }
}
