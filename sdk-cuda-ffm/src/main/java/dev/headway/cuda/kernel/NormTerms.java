package dev.headway.cuda.kernel;

/**
 * What is added in a norm.
 *
 * @param epsilon to the mean of the squares
 * @param offset to the weights: 1 where they are stored less one, else 0
 */
public record NormTerms(float epsilon, float offset) {}
