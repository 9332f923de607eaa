package dev.headway.testkit.files;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Set;

/** The real file system, seen through a {@link FaultyProvider}. */
final class FaultyFileSystem extends FileSystem {

  private final FaultyFiles files;
  private final FileSystem real;
  private final FaultyProvider provider;

  FaultyFileSystem(FaultyFiles files, FileSystem real) {
    this.files = files;
    this.real = real;
    this.provider = new FaultyProvider(files, this, real.provider());
  }

  FaultyFiles files() {
    return files;
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("a view of the real file system is not closed");
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return real.getSeparator();
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of(new FaultyPath(this, Path.of("/")));
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return real.getFileStores();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return real.supportedFileAttributeViews();
  }

  @Override
  public Path getPath(String first, String... more) {
    return new FaultyPath(this, real.getPath(first, more));
  }

  @Override
  public PathMatcher getPathMatcher(String pattern) {
    final PathMatcher matcher = real.getPathMatcher(pattern);
    return path -> matcher.matches(FaultyPath.real(path));
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    return real.getUserPrincipalLookupService();
  }

  @Override
  public WatchService newWatchService() throws IOException {
    return real.newWatchService();
  }
}
