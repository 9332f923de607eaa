package dev.headway.clients;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a test: which cells of the table it fills, in the column of its client. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Shows {

  /** What the test asks for. */
  Feature[] value();

  /** What it sees. */
  Support as() default Support.WORKS;
}
