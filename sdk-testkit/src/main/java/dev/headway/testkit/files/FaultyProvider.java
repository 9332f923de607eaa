package dev.headway.testkit.files;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Asks the plan before each call of the real provider. */
final class FaultyProvider extends FileSystemProvider {

  private final FaultyFiles files;
  private final FileSystem view;
  private final FileSystemProvider real;

  FaultyProvider(FaultyFiles files, FileSystem view, FileSystemProvider real) {
    this.files = files;
    this.view = view;
    this.real = real;
  }

  private Path on(FileCall call, Path path) throws IOException {
    final Path at = FaultyPath.real(path);
    files.on(call, at);
    return at;
  }

  @Override
  public String getScheme() {
    return "faulty";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
    throw new UnsupportedOperationException("a view is made by FaultyFiles.over");
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return view;
  }

  @Override
  public Path getPath(URI uri) {
    return new FaultyPath(view, Path.of(uri));
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    final Path at = on(FileCall.OPEN, path);
    return new FaultyChannel(files, at, real.newFileChannel(at, options, attributes));
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
    final Path at = on(FileCall.LIST, directory);
    final DirectoryStream<Path> entries =
        real.newDirectoryStream(at, entry -> filter.accept(new FaultyPath(view, entry)));
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        final Iterator<Path> each = entries.iterator();
        return new Iterator<>() {
          @Override
          public boolean hasNext() {
            return each.hasNext();
          }

          @Override
          public Path next() {
            return new FaultyPath(view, each.next());
          }
        };
      }

      @Override
      public void close() throws IOException {
        entries.close();
      }
    };
  }

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    real.createDirectory(on(FileCall.CREATE_DIRECTORY, directory), attributes);
  }

  @Override
  public void delete(Path path) throws IOException {
    real.delete(on(FileCall.DELETE, path));
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    real.copy(on(FileCall.READ, source), on(FileCall.WRITE, target), options);
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    real.move(on(FileCall.MOVE, source), FaultyPath.real(target), options);
  }

  @Override
  public boolean isSameFile(Path path, Path other) throws IOException {
    return real.isSameFile(on(FileCall.LOOK, path), FaultyPath.real(other));
  }

  @Override
  public boolean isHidden(Path path) throws IOException {
    return real.isHidden(on(FileCall.LOOK, path));
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    return real.getFileStore(on(FileCall.SPACE, path));
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    real.checkAccess(on(FileCall.LOOK, path), modes);
  }

  @Override
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return real.getFileAttributeView(FaultyPath.real(path), type, options);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    return real.readAttributes(on(FileCall.LOOK, path), type, options);
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
      throws IOException {
    return real.readAttributes(on(FileCall.LOOK, path), attributes, options);
  }

  @Override
  public void setAttribute(Path path, String attribute, Object value, LinkOption... options)
      throws IOException {
    real.setAttribute(on(FileCall.WRITE, path), attribute, value, options);
  }
}
