/**
 * Values for tests: requests and plans that are what a test says.
 *
 * <p>The contracts are in the packages below, one for each interface that users implement.
 */
@NullMarked
package dev.headway.testkit;

import org.jspecify.annotations.NullMarked;
