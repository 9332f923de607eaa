package dev.headway.examples.prefilldecode;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntSupplier;

/** Passes a connection on, up to so many bytes of the answer; then cuts it, or lets it hang. */
final class CuttingProxy implements AutoCloseable {

  /** What becomes of a connection that has had its bytes. */
  enum End {
    CUT,
    HANG
  }

  private final InetSocketAddress server;
  private final IntSupplier bytes;
  private final End end;
  private final ServerSocket listening;
  private final CountDownLatch over = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Opens a port.
   *
   * @param bytes asked for each connection: of the answer, those that pass
   */
  CuttingProxy(InetSocketAddress server, IntSupplier bytes, End end) throws IOException {
    this.server = server;
    this.bytes = bytes;
    this.end = end;
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  InetSocketAddress address() {
    return new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort());
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        final Socket reader = listening.accept();
        final int most = bytes.getAsInt();
        threads.execute(() -> pass(reader, most));
      } catch (IOException e) {
        // closed
      }
    }
  }

  private void pass(Socket reader, int most) {
    try (reader;
        Socket there = new Socket(server.getAddress(), server.getPort())) {
      threads.execute(() -> copy(reader, there, Integer.MAX_VALUE));
      copy(there, reader, most);
      if (end == End.HANG) {
        over.await();
      }
    } catch (IOException | InterruptedException e) {
      // the connection is over
    }
  }

  private static void copy(Socket from, Socket to, int most) {
    try {
      final InputStream in = from.getInputStream();
      final OutputStream out = to.getOutputStream();
      final byte[] buffer = new byte[4_096];
      int left = most;
      while (left > 0) {
        final int read = in.read(buffer, 0, Math.min(left, buffer.length));
        if (read < 0) {
          return;
        }
        out.write(buffer, 0, read);
        left -= read;
      }
    } catch (IOException e) {
      // the connection is over
    }
  }

  @Override
  public void close() throws IOException {
    over.countDown();
    listening.close();
    threads.shutdownNow();
    threads.close();
  }
}
