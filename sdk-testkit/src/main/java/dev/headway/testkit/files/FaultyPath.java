package dev.headway.testkit.files;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import org.jspecify.annotations.Nullable;

/** A path of a {@link FaultyFileSystem}: a real one, whose files are reached by way of the plan. */
final class FaultyPath implements Path {

  private final FileSystem view;
  private final Path real;

  FaultyPath(FileSystem view, Path real) {
    this.view = view;
    this.real = real;
  }

  static Path real(Path path) {
    if (path instanceof FaultyPath own) {
      return own.real;
    }
    throw new ProviderMismatchException("path must be of the view: path=" + path);
  }

  private Path wrap(Path other) {
    return new FaultyPath(view, other);
  }

  private @Nullable Path wrapOrNull(@Nullable Path other) {
    return other == null ? null : wrap(other);
  }

  private static Path realOrSame(Path path) {
    return path instanceof FaultyPath own ? own.real : path;
  }

  @Override
  public FileSystem getFileSystem() {
    return view;
  }

  @Override
  public boolean isAbsolute() {
    return real.isAbsolute();
  }

  @Override
  public @Nullable Path getRoot() {
    return wrapOrNull(real.getRoot());
  }

  @Override
  public @Nullable Path getFileName() {
    return wrapOrNull(real.getFileName());
  }

  @Override
  public @Nullable Path getParent() {
    return wrapOrNull(real.getParent());
  }

  @Override
  public int getNameCount() {
    return real.getNameCount();
  }

  @Override
  public Path getName(int index) {
    return wrap(real.getName(index));
  }

  @Override
  public Path subpath(int begin, int end) {
    return wrap(real.subpath(begin, end));
  }

  @Override
  public boolean startsWith(Path other) {
    return real.startsWith(realOrSame(other));
  }

  @Override
  public boolean endsWith(Path other) {
    return real.endsWith(realOrSame(other));
  }

  @Override
  public Path normalize() {
    return wrap(real.normalize());
  }

  @Override
  public Path resolve(Path other) {
    return wrap(real.resolve(realOrSame(other)));
  }

  @Override
  public Path relativize(Path other) {
    return wrap(real.relativize(realOrSame(other)));
  }

  @Override
  public URI toUri() {
    return real.toUri();
  }

  @Override
  public Path toAbsolutePath() {
    return wrap(real.toAbsolutePath());
  }

  @Override
  public Path toRealPath(LinkOption... options) throws IOException {
    files().on(FileCall.LOOK, real);
    return wrap(real.toRealPath(options));
  }

  /** Hands out the real file, past the view: the caller opens it without faults. */
  @Override
  public File toFile() {
    try {
      files().on(FileCall.MAP, real);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return real.toFile();
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
      throws IOException {
    return real.register(watcher, events, modifiers);
  }

  @Override
  public int compareTo(Path other) {
    return real.compareTo(real(other));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FaultyPath path && path.real.equals(real);
  }

  @Override
  public int hashCode() {
    return real.hashCode();
  }

  @Override
  public String toString() {
    return real.toString();
  }

  private FaultyFiles files() {
    return ((FaultyFileSystem) view).files();
  }
}
