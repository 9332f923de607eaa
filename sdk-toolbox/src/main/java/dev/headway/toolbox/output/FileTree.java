package dev.headway.toolbox.output;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is done with a directory and all that is in it. Stateless. */
public final class FileTree {

  private FileTree() {}

  /**
   * The names in a directory, sorted; not of what is below them.
   *
   * @throws IOException if it cannot be listed
   */
  public static List<String> names(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).sorted().toList();
    }
  }

  /**
   * Deletes a file, or a directory with all of it; links are deleted, not followed.
   *
   * @throws IOException if something cannot be deleted; what was deleted before is gone
   */
  public static void delete(Path path) throws IOException {
    Files.walkFileTree(
        path,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
