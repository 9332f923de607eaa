package dev.headway.probes.chronicle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Why: a store into a hole of a mapped file asks the file system for a block. When there is none, the
 * JVM throws an InternalError, in compiled code at a later safepoint, past the try block around the
 * store, and the record is torn. A write() of zeros asks for the same block and fails with an
 * IOException instead.
 *
 * Why it is sound: Chronicle appends. Records, and its index pages between them, take the file from
 * front to back. Bytes in [0, allocated) have been written by write(); the appender only writes below
 * `allocated`, this class only at and above it, and `allocated` only grows, after write() returned. So
 * no byte is ever written by both. To Chronicle a hole and a zero are the same: "not written yet".
 *
 * Chronicle extends a file that is shorter than the block it maps, with a check and a setLength that
 * could cut zeros written in between. The length is therefore kept beyond any block the appender can
 * reach before `allocated`, so that Chronicle's check never finds the file too short.
 */
/**
 * Keeps a file's next bytes allocated, by writing zeros ahead on its own thread.
 *
 * <p>The appender may write below {@link #allocated()} and nowhere else. {@link #used} never
 * blocks; {@link #extend} may. Not valid on file systems that copy on write (btrfs, ZFS, APFS
 * snapshots): an overwrite needs space there too, so a full disk can still surface as an {@link
 * InternalError}.
 */
final class JournalSpace implements AutoCloseable {

  /** Name of the thread that allocates. */
  static final String THREAD = "headway-journal-space";

  private static final Logger LOG = LoggerFactory.getLogger(JournalSpace.class);
  private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);

  private final Path file;
  private final FileChannel channel;
  private final long blockBytes;
  private final long aheadBytes;
  private final ByteBuffer zeros;
  private final AtomicLong allocated = new AtomicLong();
  private final AtomicLong used = new AtomicLong();
  private final Worker worker;
  private volatile @Nullable IOException failure;
  private long length;
  private long wakeAt;

  private JournalSpace(
      Path file, FileChannel channel, long blockBytes, long aheadBytes, JournalHost host) {
    this.file = file;
    this.channel = channel;
    this.blockBytes = blockBytes;
    this.aheadBytes = aheadBytes;
    this.zeros = ByteBuffer.allocateDirect(host.chunkBytes());
    this.worker = host.workers().make(THREAD, this::allocate);
  }

  /**
   * Makes the file with its first {@link JournalHost#chunkBytes} allocated, before Chronicle sees
   * it.
   *
   * @throws IOException if the file exists or there is no room
   */
  static JournalSpace create(Path file, long blockBytes, long aheadBytes, JournalHost host)
      throws IOException {
    final FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    final JournalSpace space = new JournalSpace(file, channel, blockBytes, aheadBytes, host);
    try {
      space.extend();
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    return space;
  }

  /** Starts writing ahead. */
  void start() {
    worker.start();
  }

  /** End of the bytes that can be written; never falls. Any thread. */
  long allocated() {
    return allocated.get();
  }

  /** What keeps the file from growing now, or null. Any thread. */
  @Nullable IOException failure() {
    return failure;
  }

  /** Says that bytes below {@code end} are written. Appending thread; never blocks. */
  void used(long end) {
    used.setRelease(end);
    if (end >= wakeAt) {
      wakeAt = end + aheadBytes / 4;
      worker.wake();
    }
  }

  /**
   * Allocates one more chunk, on the calling thread.
   *
   * @throws IOException if there is no room; what could be allocated counts
   */
  synchronized void extend() throws IOException {
    long at = allocated.get();
    final long target = at + zeros.capacity();
    lengthen((target / blockBytes + 2) * blockBytes + blockBytes / 2);
    while (at < target) {
      at += channel.write(zeros.limit((int) (target - at)).position(0), at);
      allocated.set(at);
    }
  }

  /** Makes the file longer, by a hole and a zero. */
  private void lengthen(long least) throws IOException {
    if (length < least) {
      channel.write(zeros.limit(1).position(0), least - 1);
      length = least;
    }
  }

  /** Reads four bytes; 0 behind the end of the file. */
  int intAt(long position) throws IOException {
    final ByteBuffer bytes = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
    channel.read(bytes, position);
    return bytes.getInt(0);
  }

  /**
   * Whether the file is still where it was made, as far as can be known. Any thread; a call of the
   * file system.
   */
  boolean isInPlace() {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).isRegularFile();
    } catch (NoSuchFileException removed) {
      return false;
    } catch (IOException unknown) {
      return true;
    }
  }

  /** Forces what is written to the device. Any thread; may block. */
  void force() throws IOException {
    channel.force(false);
  }

  /** Stops writing ahead, cuts what was not used beyond {@code end}, and forces the rest. */
  void finish(long end) throws IOException {
    worker.close();
    channel.truncate((end + 8191) & -4096L);
    channel.force(true);
  }

  @Override
  public void close() throws IOException {
    worker.close();
    channel.close();
  }

  private long allocate() {
    if (allocated.get() - used.getAcquire() >= aheadBytes) {
      return Duty.UNTIL_WOKEN;
    }
    return tryExtend() ? 0 : RETRY_NS;
  }

  private boolean tryExtend() {
    try {
      extend();
      failure = null;
      return true;
    } catch (IOException e) {
      if (failure == null) {
        LOG.error(
            "journal cannot grow and switches off when the reserve is used up: dir={}, freeBytes={},"
                + " reserveBytes={}, cause={}",
            file.getParent(),
            Disk.freeBytes(file),
            allocated.get() - used.get(),
            e.getMessage());
      }
      failure = e;
      return false;
    }
  }
}
