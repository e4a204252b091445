"""What every path uses: the request, the vector arm, the redacting store, the writer."""
