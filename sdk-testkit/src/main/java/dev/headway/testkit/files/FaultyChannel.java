package dev.headway.testkit.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Asks the plan before each call of the real channel. Closing never fails. */
final class FaultyChannel extends FileChannel {

  private final FaultyFiles files;
  private final Path path;
  private final FileChannel real;

  FaultyChannel(FaultyFiles files, Path path, FileChannel real) {
    this.files = files;
    this.path = path;
    this.real = real;
  }

  /** What writes bytes. */
  private interface Writer {
    int write(ByteBuffer bytes) throws IOException;
  }

  /** A write that fails has written a part. */
  private int write(ByteBuffer source, Writer writer) throws IOException {
    final FileFault fault = files.ask(FileCall.WRITE, path);
    if (fault == null) {
      return writer.write(source);
    }
    if (source.remaining() > 1) {
      writer.write(source.duplicate().limit(source.position() + source.remaining() / 2));
    }
    throw fault.exception(path);
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    files.on(FileCall.READ, path);
    return real.read(target);
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
    files.on(FileCall.READ, path);
    return real.read(targets, offset, length);
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    files.on(FileCall.READ, path);
    return real.read(target, position);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    return write(source, real::write);
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    files.on(FileCall.WRITE, path);
    return real.write(sources, offset, length);
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    return write(source, bytes -> real.write(bytes, position));
  }

  @Override
  public long position() throws IOException {
    return real.position();
  }

  @Override
  public FileChannel position(long position) throws IOException {
    real.position(position);
    return this;
  }

  @Override
  public long size() throws IOException {
    files.on(FileCall.RESIZE, path);
    return real.size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    files.on(FileCall.RESIZE, path);
    real.truncate(size);
    return this;
  }

  @Override
  public void force(boolean metadata) throws IOException {
    files.on(FileCall.FORCE, path);
    real.force(metadata);
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    files.on(FileCall.READ, path);
    return real.transferTo(position, count, target);
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count)
      throws IOException {
    files.on(FileCall.WRITE, path);
    return real.transferFrom(source, position, count);
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    files.on(FileCall.MAP, path);
    return real.map(mode, position, size);
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    files.on(FileCall.LOCK, path);
    return real.lock(position, size, shared);
  }

  @Override
  public @Nullable FileLock tryLock(long position, long size, boolean shared) throws IOException {
    files.on(FileCall.LOCK, path);
    return real.tryLock(position, size, shared);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    real.close();
  }
}
