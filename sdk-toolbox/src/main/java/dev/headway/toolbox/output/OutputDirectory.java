package dev.headway.toolbox.output;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * A directory that is filled beside its place and renamed when it is complete, so that what is
 * there is a whole output or was there before. Closing it removes what was not published. One
 * thread.
 */
public final class OutputDirectory implements AutoCloseable {

  private final Path target;
  private final Path scratch;
  private final OverwriteMode mode;
  private final Content content;
  private boolean published;

  private OutputDirectory(Path target, Path scratch, OverwriteMode mode, Content content) {
    this.target = target;
    this.scratch = scratch;
    this.mode = mode;
    this.content = content;
  }

  /**
   * What a directory holds. One that holds anything but this and {@link KnownOutputs} is never
   * replaced.
   *
   * @param what in messages, as in {@code a conversion}
   * @param option how messages call the directory, as in {@code --out}
   * @param names of its files and directories
   */
  public record Content(String what, String option, Set<String> names) {

    /** Copies the names. */
    public Content {
      names = Set.copyOf(names);
    }

    /** A directory that messages call {@code the output}. */
    public Content(String what, Set<String> names) {
      this(what, "the output", names);
    }
  }

  /**
   * Makes a scratch directory beside {@code target}, and the directories above.
   *
   * @throws FileSystemException if {@code target} may not be replaced
   * @throws IOException if the directory cannot be made
   */
  public static OutputDirectory prepare(Path target, OverwriteMode mode, Content content)
      throws IOException {
    final Path absolute = target.toAbsolutePath().normalize();
    final Path parent = absolute.getParent();
    if (parent == null) {
      throw new FileSystemException(
          target.toString(), null, content.option() + " needs a directory above");
    }
    refuseUnlessReplaceable(target, mode, content);
    Files.createDirectories(parent);
    return new OutputDirectory(
        absolute, Beside.make(absolute, Files::createDirectory), mode, content);
  }

  /** Where the files are now. */
  public Path directory() {
    return published ? target : scratch;
  }

  /** Whether it is in its place. */
  public boolean isPublished() {
    return published;
  }

  /**
   * Renames the scratch directory to the target; files in it must be closed.
   *
   * @throws IllegalStateException if it holds what its content does not name: no later run could
   *     replace it
   */
  public void publish() throws IOException {
    if (published) {
      return;
    }
    for (String name : FileTree.names(scratch)) {
      if (!content.names().contains(name)) {
        throw new IllegalStateException(
            "content must name every file: what=%s, file=%s".formatted(content.what(), name));
      }
    }
    refuseUnlessReplaceable(target, mode, content);
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      replaceTarget();
    } else {
      Files.move(scratch, target);
    }
    published = true;
  }

  @Override
  public void close() throws IOException {
    if (!published && Files.exists(scratch)) {
      FileTree.delete(scratch);
    }
  }

  private void replaceTarget() throws IOException {
    final Path aside = Beside.make(target, Files::createDirectory);
    final Path old = aside.resolve("old");
    Files.move(target, old);
    try {
      Files.move(scratch, target);
    } catch (IOException e) {
      Files.move(old, target);
      Files.delete(aside);
      throw e;
    }
    FileTree.delete(aside);
  }

  private static void refuseUnlessReplaceable(Path target, OverwriteMode mode, Content content)
      throws IOException {
    if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!Files.isDirectory(target)) {
      throw new FileSystemException(
          target.toString(), null, content.option() + " exists and is not a directory");
    }
    final List<String> names = FileTree.names(target);
    for (String name : names) {
      if (!content.names().contains(name) && !KnownOutputs.contains(name)) {
        throw new FileSystemException(
            target.toString(),
            null,
            content.option()
                + " exists and holds more than "
                + content.what()
                + ", so it will not be replaced: file="
                + name);
      }
    }
    if (mode == OverwriteMode.REFUSE && !names.isEmpty()) {
      throw new FileAlreadyExistsException(
          target.toString(), null, content.option() + " exists; --overwrite replaces it");
    }
  }
}
